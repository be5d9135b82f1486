/**
 * Effect's `DatagramSocket` service on Node's own UDP sockets, so that a program needs no platform package for it. It is
 * the portable socket: no FFI, one system call a datagram.
 *
 * @since 0.1.0
 */
import * as NodeDatagramSocket from "@effect/platform-node-shared/NodeDatagramSocket"
import type * as Layer from "effect/Layer"
import type { DatagramSocket } from "effect/socket/DatagramSocket"

/**
 * How the socket is bound: address and port, family, buffer sizes in bytes, multicast.
 *
 * @category models
 * @since 0.1.0
 */
export type UdpSocketOptions = NodeDatagramSocket.Options

/**
 * Provides `DatagramSocket`. Nothing is opened before a reader is acquired, which fails with `DatagramSocketError` where
 * the address cannot be bound.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: (options?: UdpSocketOptions) => Layer.Layer<DatagramSocket> = NodeDatagramSocket.layer
