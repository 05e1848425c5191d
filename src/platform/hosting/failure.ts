/** What a failure means for the deployment. */
export type HostingFailureKind =
  /** The provider refuses the credential. Final until the person connects again. */
  | "unauthorized"
  /** The provider refuses the request, with a reason. Final. */
  | "refused"
  /** The site's name is taken. */
  | "name_taken"
  /** There is no such site or deployment. */
  | "not_found"
  /** Too many requests. */
  | "rate_limited"
  /** No response, a failure on the provider's side, or a response that is none. What the request did is unknown. */
  | "unavailable";

/** A failure of a call to a provider. The message is a sentence for the person; it contains no secret. */
export class HostingFailure extends Error {
  readonly kind: HostingFailureKind;
  /** Seconds that the provider asks to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: HostingFailureKind, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "HostingFailure";
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
