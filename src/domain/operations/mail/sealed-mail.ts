import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";

const MailKind = z.enum([
  "login-code",
  "password-reset",
  "email-verification",
  "team-invitation",
  "account-notice",
]);

/** The purpose of a mail, which is all that logs contain of it. */
export type MailKind = z.infer<typeof MailKind>;

const OutgoingMail = z.object({
  kind: MailKind,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** When the mail's content expires, so that a later delivery is pointless. */
  expiresAt: z.coerce.date(),
});

/** A mail as a use case wants it sent. */
export type OutgoingMail = z.infer<typeof OutgoingMail>;

const QueuedMail = z.object({ id: z.uuid(), mail: OutgoingMail.nullable() });

/** A mail in the queue. Without a mail it is a decoy, which looks the same and is dropped. */
export type QueuedMail = z.infer<typeof QueuedMail>;

export function newQueuedMail(mail: OutgoingMail | undefined): QueuedMail {
  return { id: newId(), mail: mail ?? null };
}

/**
 * Block size in bytes to which the plain text is padded, so that its length does not distinguish a decoy from a mail.
 */
const BLOCK = 4096;

/** Encrypts a mail, because the queue must not see codes, links and addresses. */
export async function sealMail(secrets: Secrets, queued: QueuedMail): Promise<string> {
  const text = JSON.stringify(queued);
  const length = new TextEncoder().encode(text).length;
  // White space after a JSON value is ignored.
  return secrets.encrypt(text + " ".repeat(BLOCK - (length % BLOCK)));
}

/** Throws `invalid_input` for text that was not encrypted with this SECRET_KEY. */
export async function unsealMail(secrets: Secrets, sealed: string): Promise<QueuedMail> {
  let text: string;
  try {
    text = await secrets.decrypt(sealed);
  } catch (cause) {
    throw new AppError("invalid_input", "A queued mail was not sealed under this key", { cause });
  }
  return parseJson(text, QueuedMail);
}
