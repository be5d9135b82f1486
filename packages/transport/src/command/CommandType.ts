/** Message type ids of the control protocol: commands go from a client to the driver, responses to all clients. */

export const ADD_PUBLICATION = 0x01
export const REMOVE_PUBLICATION = 0x02
export const ADD_EXCLUSIVE_PUBLICATION = 0x03
export const ADD_SUBSCRIPTION = 0x04
export const REMOVE_SUBSCRIPTION = 0x05
export const CLIENT_KEEPALIVE = 0x06
export const ADD_DESTINATION = 0x07
export const REMOVE_DESTINATION = 0x08
export const ADD_COUNTER = 0x09
export const REMOVE_COUNTER = 0x0a
export const CLIENT_CLOSE = 0x0b
export const ADD_RCV_DESTINATION = 0x0c
export const REMOVE_RCV_DESTINATION = 0x0d
export const TERMINATE_DRIVER = 0x0e
export const ADD_STATIC_COUNTER = 0x0f
export const REJECT_IMAGE = 0x10
export const REMOVE_DESTINATION_BY_ID = 0x11
export const GET_NEXT_AVAILABLE_SESSION_ID = 0x12

export const ON_ERROR = 0x0f01
export const ON_AVAILABLE_IMAGE = 0x0f02
export const ON_PUBLICATION_READY = 0x0f03
export const ON_OPERATION_SUCCESS = 0x0f04
export const ON_UNAVAILABLE_IMAGE = 0x0f05
export const ON_EXCLUSIVE_PUBLICATION_READY = 0x0f06
export const ON_SUBSCRIPTION_READY = 0x0f07
export const ON_COUNTER_READY = 0x0f08
export const ON_UNAVAILABLE_COUNTER = 0x0f09
export const ON_CLIENT_TIMEOUT = 0x0f0a
export const ON_STATIC_COUNTER = 0x0f0b
export const ON_PUBLICATION_ERROR = 0x0f0c
export const ON_NEXT_AVAILABLE_SESSION_ID = 0x0f0d

/** Semantic version 1.0.0 of the protocol, as the driver states it in system counter 43. */
export const CONTROL_PROTOCOL_VERSION = 0x010000
