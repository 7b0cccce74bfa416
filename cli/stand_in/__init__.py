"""A stand-in between callers and SNS, for tests and benchmarks: quota, latency, faults, counts.

Callers reach it by AWS_ENDPOINT_URL_SNS, as the SDKs know it; nothing deployed knows of it.
https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
"""
