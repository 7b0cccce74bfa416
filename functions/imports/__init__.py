"""Imports: files of devices, checked row by row, shuffled by Id, loaded within SNS's quota."""
