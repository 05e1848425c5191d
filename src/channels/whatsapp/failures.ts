import type { FailureKind } from "../platform-failure.ts";

/** What is to be done about the errors of the Cloud API that people meet. */
const SENTENCES: ReadonlyMap<number, string> = new Map([
  [4, "The app makes more calls than WhatsApp allows"],
  [10, "The access token has no permission to send messages for this number"],
  [33, "The business phone number was deleted"],
  [100, "WhatsApp refused a parameter of the message"],
  [190, "The access token has expired or was revoked: enter a new one"],
  [368, "WhatsApp has blocked the business account for violating a policy"],
  [80_007, "The business account makes more calls than WhatsApp allows"],
  [130_429, "The business account sends more messages than WhatsApp allows at once"],
  [131_026, "WhatsApp cannot deliver to this person: the number may not use WhatsApp or its current version"],
  [131_031, "WhatsApp has locked the business account"],
  [131_042, "The business account has a problem with its payment method"],
  [
    131_047,
    "The person's last message is more than 24 hours old, and WhatsApp then delivers only approved templates: the person has to write first",
  ],
  [131_048, "WhatsApp limits this number because people blocked it or reported spam"],
  [131_053, "WhatsApp could not process the file"],
  [131_056, "Too many messages went to this person in a short time"],
  [133_010, "The phone number is not registered for the Cloud API"],
]);

/** Codes of failures that end by themselves. */
const BUSY: ReadonlySet<number> = new Set([4, 80_007, 130_429, 131_048, 131_056]);
const UNREACHABLE: ReadonlySet<number> = new Set([1, 2, 131_000, 131_016, 131_057, 133_004]);
/** Codes of tokens that are no good, or not for this number: 200 to 299 are missing permissions too. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([0, 3, 10, 102, 190]);

/** Why WhatsApp did not deliver, as a sentence with the code. */
export function whatsappFailure(code: number, told?: string): string {
  return `${SENTENCES.get(code) ?? told ?? "WhatsApp could not deliver the message"} (WhatsApp error ${code})`;
}

/** What the code of an error means; the HTTP status says more only where there is no code. */
export function failureKind(code: number | undefined, status: number): FailureKind {
  if (code !== undefined && BUSY.has(code)) return "busy";
  if (code !== undefined && UNREACHABLE.has(code)) return "unreachable";
  if (code !== undefined && (UNAUTHORIZED.has(code) || (code >= 200 && code < 300))) return "unauthorized";
  if (status === 401) return "unauthorized";
  if (status === 429) return "busy";
  return status >= 500 ? "unreachable" : "refused";
}
