import { PlatformFailure } from "../platform-failure.ts";

const UNTRUSTED =
  "The person has a new safety number, which the bridge does not trust yet: trust it at the bridge.";

/** What the bridge passes on of signal-cli, and what the owner does about it. */
const REFUSALS: readonly [RegExp, string][] = [
  [/untrusted/iu, UNTRUSTED],
  [/update your profile/iu, "Signal's groups need a profile: set a name for the number at the bridge."],
];
/** The bridge's account is gone: no call works until the owner links or registers the number again. */
const NO_ACCOUNT =
  /user \S+ is not registered|account does not exist|number not registered|authorization failed/iu;
/** The bridge itself did not reach Signal, or does not say why it failed. */
const UNREACHED =
  /timed? ?out|timeout|connection|connect to|unreachable|unknownhost|network|i\/o|ioexception|socket|temporarily|^failed to send message[.]?$/iu;

/** The failure that the bridge's sentence tells of; `quote` is what of it may be shown. */
export function refusalFailure(error: string, quote: string, isSend: boolean): PlatformFailure {
  const known = REFUSALS.find(([pattern]) => pattern.test(error));
  if (known !== undefined) return new PlatformFailure("refused", known[1]);
  if (NO_ACCOUNT.test(error)) {
    return new PlatformFailure("unauthorized", "Signal's bridge is not registered or linked for the number.");
  }
  return UNREACHED.test(error)
    ? new PlatformFailure("unreachable", `Signal's bridge failed: ${quote}.`, { mayHaveHappened: isSend })
    : new PlatformFailure("refused", `Signal's bridge refused it: ${quote}.`);
}

/** The failure of a message that one person did not get, by the reason that signal-cli gives. */
export function recipientFailure(reason = ""): PlatformFailure {
  switch (reason) {
    case "NETWORK_FAILURE":
      return new PlatformFailure("unreachable", "Signal's bridge could not reach Signal.");
    case "RATE_LIMIT_FAILURE":
      return new PlatformFailure("busy", "Signal accepts no more messages to this person for now.");
    case "UNREGISTERED_FAILURE":
      return new PlatformFailure("refused", "The person does not use Signal any more.");
    case "IDENTITY_FAILURE":
      return new PlatformFailure("refused", UNTRUSTED);
    default: {
      const code = /^[A-Z_]{1,40}$/u.test(reason) ? reason : "UNKNOWN";
      return new PlatformFailure("refused", `Signal did not deliver the message (${code}).`);
    }
  }
}
