/** Where sockets tell what goes wrong when no call of theirs can: datagrams go and come between the calls. */
export interface UdpFaults {
  /** A datagram was taken for sending, and the system did not send it. */
  onSendFailed(): void
  /** A datagram arrived that cannot be handed on whole. */
  onDropped(): void
  /** The socket goes on, but something is wrong with it. */
  onError(error: Error): void
}
