import { AppError } from "#src/lib/errors.ts";

/** One mail to one person, as plain text and as HTML of the same content. */
export interface Mail {
  /** An address alone, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mail. Whatever fails is `unavailable`, with a sentence that names nobody. */
export interface Mailer {
  /** Whether the installation has a mail server at all. */
  readonly configured: boolean;
  /**
   * Resolves when the mail server took the mail. After a lost answer it may have been taken nonetheless, so a repetition may
   * arrive twice. Throws `invalid_input` for an address or a subject that does not fit on a line of its own.
   */
  send(mail: Mail): Promise<void>;
  /** Connects, greets, authenticates and closes: whether the mail server answers, for callers whose mail goes later. */
  probe(): Promise<void>;
}

/** The mailer of an installation without a mail server. */
export const noMailer: Mailer = {
  configured: false,
  send: () => Promise.reject(notConfigured()),
  probe: () => Promise.reject(notConfigured()),
};

function notConfigured(): AppError {
  return new AppError("unavailable", "Email is not configured on this installation");
}

// RFC 5321, 4.1.2 and 4.5.3.1, without quoted local parts and address literals: nobody has them, and they are how commands
// are smuggled into an SMTP conversation.
const ADDRESS = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[^\s\p{C}<>()[\],;:\\"@]{1,255}$/u;

/** Throws `invalid_input` for an address or a subject that would write lines of its own into the conversation. */
export function checkMail({ to, subject }: Mail): void {
  if (!ADDRESS.test(to)) throw new AppError("invalid_input", "This email address cannot be written to");
  if (/\p{Cc}/u.test(subject)) throw new AppError("invalid_input", "The subject of a mail is one line");
}
