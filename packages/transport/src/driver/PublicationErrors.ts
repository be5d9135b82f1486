/** A receiver refuses the stream of a publication. */
import type { PublicationError } from "../command/PublicationError.ts"
import type { DriverContext } from "./DriverContext.ts"

/** The clients that publish are told, and whoever looks into the error log. */
export const tell = ({ clientProxy, recordError }: DriverContext, error: PublicationError): void => {
  const stream = `registrationId=${error.registrationId} sessionId=${error.sessionId} streamId=${error.streamId}`
  const refusal = `receiverId=${error.receiverId} errorCode=${error.code} errorMessage=${error.message}`
  recordError(`WARN a publication is refused by a receiver: ${stream} ${refusal}`)
  clientProxy.onPublicationError(error)
}
