"""What each push service takes: how large a payload, and how long it keeps a message.

The names of SNS's attributes are those of its own tables, where FCM is FCM, though the payload's
key and the platform stay GCM:
https://docs.aws.amazon.com/sns/latest/dg/sns-ttl.html
https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html#sns-attrib-mobile-reserved
"""

from dataclasses import dataclass

from functions.devices.records import ChannelType

# https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
# https://firebase.google.com/docs/cloud-messaging/customize-messages/set-message-type
# ADM would take 6 KB; the bound is one, so that a message fits everywhere or nowhere.
PAYLOAD_MAX_BYTES = 4_096

DAY = 24 * 60 * 60
# "30 days or less". https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
_APNS_LONGEST = 30 * DAY
# 28 days. https://firebase.google.com/docs/cloud-messaging/customize-messages/setting-message-lifespan
_FCM_LONGEST = 28 * DAY
# `expiresAfter`: a minute to 31 days. https://developer.amazon.com/docs/adm/send-message.html
_ADM_SHORTEST = 60
_ADM_LONGEST = 31 * DAY


@dataclass(frozen=True, kw_only=True)
class PushService:
    """Bounds of one push service, times in seconds.

    The shortest is 0 only where that means "now or never"; elsewhere SNS would drop the message.
    """

    shortest: int = 0
    longest: int
    time_to_live_attribute: str
    payload_max_bytes: int = PAYLOAD_MAX_BYTES


PUSH_SERVICES: dict[ChannelType, PushService] = {
    ChannelType.APNS: PushService(
        longest=_APNS_LONGEST, time_to_live_attribute="AWS.SNS.MOBILE.APNS.TTL"
    ),
    ChannelType.APNS_SANDBOX: PushService(
        longest=_APNS_LONGEST, time_to_live_attribute="AWS.SNS.MOBILE.APNS_SANDBOX.TTL"
    ),
    ChannelType.GCM: PushService(
        longest=_FCM_LONGEST, time_to_live_attribute="AWS.SNS.MOBILE.FCM.TTL"
    ),
    ChannelType.ADM: PushService(
        shortest=_ADM_SHORTEST,
        longest=_ADM_LONGEST,
        time_to_live_attribute="AWS.SNS.MOBILE.ADM.TTL",
    ),
}
