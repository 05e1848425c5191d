import { vi } from "vitest";
import { codeIn, linkIn } from "./mailbox.ts";
import type { ReceivedMail, TestSmtpServer } from "./smtp-server.ts";

/** What came for one address, of one subject. */
export interface Inbox {
  /** The newest mail that was not asked for before; waits for it. */
  next(): Promise<ReceivedMail>;
  /** The code of the next mail. */
  code(): Promise<string>;
  /** The address in the next mail, and the token of it. */
  link(): Promise<{ url: string; token: string }>;
  count(): number;
}

export function inbox(smtp: TestSmtpServer, address: string, subject: RegExp): Inbox {
  let seen = 0;
  const mails = () => smtp.mails.filter((mail) => mail.to.includes(address) && subject.test(mail.subject));
  async function next(): Promise<ReceivedMail> {
    const mail = await vi.waitUntil(() => (mails().length > seen ? mails().at(-1) : undefined), {
      interval: 50,
    });
    seen = mails().length;
    return mail;
  }
  return {
    next,
    code: async () => codeIn((await next()).text),
    link: async () => linkIn((await next()).text),
    count: () => mails().length,
  };
}
