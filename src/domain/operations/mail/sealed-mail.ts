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

/** What a mail is for: all that a log says about it. */
export type MailKind = z.infer<typeof MailKind>;

const OutgoingMail = z.object({
  kind: MailKind,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** When what it carries is void, so that delivering it any later is pointless. */
  expiresAt: z.coerce.date(),
});

/** A mail as a use case wants it sent. */
export type OutgoingMail = z.infer<typeof OutgoingMail>;

const QueuedMail = z.object({ id: z.uuid(), mail: OutgoingMail.nullable() });

/** A mail on its way through the queue. Without a mail it is a decoy: it looks like the others and goes nowhere. */
export type QueuedMail = z.infer<typeof QueuedMail>;

export function newQueuedMail(mail: OutgoingMail | undefined): QueuedMail {
  return { id: newId(), mail: mail ?? null };
}

/** Bytes; the plain text is padded to a multiple of it, so that its length does not tell a decoy from a mail. */
const BLOCK = 4096;

/** A token for the queue, which is not to see codes, links and addresses. */
export async function sealMail(secrets: Secrets, queued: QueuedMail): Promise<string> {
  const text = JSON.stringify(queued);
  const length = new TextEncoder().encode(text).length;
  // White space after a JSON value means nothing.
  return secrets.encrypt(text + " ".repeat(BLOCK - (length % BLOCK)));
}

/** Throws `invalid_input` for what was not sealed under this SECRET_KEY. */
export async function unsealMail(secrets: Secrets, sealed: string): Promise<QueuedMail> {
  let text: string;
  try {
    text = await secrets.decrypt(sealed);
  } catch (cause) {
    throw new AppError("invalid_input", "A queued mail was not sealed under this key", { cause });
  }
  return parseJson(text, QueuedMail);
}
