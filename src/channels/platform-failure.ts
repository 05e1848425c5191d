/**
 * How a call at a platform failed:
 * - `busy`: too many calls; again after `retryAfterSeconds`;
 * - `unreachable`: the network or the platform failed; again later;
 * - `refused`: the platform will refuse the same call again;
 * - `unauthorized`: the credentials are no longer good, so every call fails until the owner enters others.
 */
export type FailureKind = "busy" | "unreachable" | "refused" | "unauthorized";

/** A call at a platform failed. The message is a sentence for the channel's owner, without any secret. */
export class PlatformFailure extends Error {
  override name = "PlatformFailure";
  readonly kind: FailureKind;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the platform may have done what it was asked, as after a broken connection. */
  readonly mayHaveHappened: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    options: { retryAfterSeconds?: number; mayHaveHappened?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.mayHaveHappened = options.mayHaveHappened ?? false;
  }

  /** Whether the same call may succeed later. */
  get isPassing(): boolean {
    return this.kind === "busy" || this.kind === "unreachable";
  }
}
