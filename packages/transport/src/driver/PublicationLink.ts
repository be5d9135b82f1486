/** One client's hold on a publication. The publication drains and ends when its last link is gone. */
import type { ClientLiveness } from "./ClientLiveness.ts"
import type { ManagedResource } from "./ManagedResource.ts"

/** What a link can hold: counted, and revocable. */
export interface LinkedPublication {
  increaseReferences(): void
  decreaseReferences(): void
  revoke(): void
}

export class PublicationLink implements ManagedResource {
  readonly registrationId: bigint
  readonly client: ClientLiveness
  readonly publication: LinkedPublication

  constructor(registrationId: bigint, client: ClientLiveness, publication: LinkedPublication) {
    this.registrationId = registrationId
    this.client = client
    this.publication = publication
    publication.increaseReferences()
  }

  get hasReachedEndOfLife(): boolean {
    return this.client.hasReachedEndOfLife
  }

  onTimeEvent(): void {}

  close(): void {
    this.publication.decreaseReferences()
  }
}
