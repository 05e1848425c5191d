/** What is to be done about the errors of the Cloud API that people meet. */
const SENTENCES: ReadonlyMap<number, string> = new Map([
  [100, "WhatsApp refused a parameter of the message"],
  [190, "The access token has expired or was revoked: enter a new one"],
  [130_429, "The business account sends more messages than WhatsApp allows at once"],
  [131_026, "WhatsApp cannot deliver to this person: the number may not use WhatsApp or its current version"],
  [
    131_047,
    "The person's last message is more than 24 hours old, and WhatsApp then delivers only approved templates: the person has to write first",
  ],
  [131_053, "WhatsApp could not process the file"],
  [131_056, "Too many messages went to this person in a short time"],
]);

/** Why WhatsApp did not deliver, as a sentence with the code. */
export function whatsappFailure(code: number, told?: string): string {
  return `${SENTENCES.get(code) ?? told ?? "WhatsApp could not deliver the message"} (WhatsApp error ${code})`;
}
