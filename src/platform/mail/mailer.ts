import { AppError } from "#src/lib/errors.ts";

/** A mail to one recipient, as plain text and as HTML of the same content. */
export interface Mail {
  /** An address without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mail. Every failure is `unavailable`, with a sentence that contains no address. */
export interface Mailer {
  /** Whether the installation has a mail server at all. */
  readonly configured: boolean;
  /**
   * Resolves when the mail server has accepted the mail. After a lost response it may have been accepted, so a retry
   * may deliver it twice. Throws `invalid_input` for an address or a subject that does not fit on one line.
   */
  send(mail: Mail): Promise<void>;
  /** Connects, greets, authenticates and closes, to check the mail server for callers who send their mail later. */
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

// RFC 5321, 4.1.2 and 4.5.3.1, without quoted local parts and address literals: they are not used in practice, and they
// allow commands to be smuggled into an SMTP conversation.
const ADDRESS = /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[^\s\p{C}<>()[\],;:\\"@]{1,255}$/u;

/** Throws `invalid_input` for an address or a subject that would add lines to the SMTP conversation. */
export function checkMail({ to, subject }: Mail): void {
  if (!ADDRESS.test(to)) throw new AppError("invalid_input", "This email address is not valid");
  if (/\p{Cc}/u.test(subject)) throw new AppError("invalid_input", "The subject of a mail must be one line");
}
