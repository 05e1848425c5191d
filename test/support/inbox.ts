import { vi } from "vitest";
import { codeIn, linkIn } from "./mailbox.ts";
import type { ReceivedMail, TestSmtpServer } from "./smtp-server.ts";

/** What came for one address, of one subject. */
export interface Inbox {
  /** The newest mail that was not asked for before; waits for it. */
  next(timeoutMs?: number): Promise<ReceivedMail>;
  /** The code of the next mail. */
  code(timeoutMs?: number): Promise<string>;
  /** The address in the next mail, and the token of it. */
  link(timeoutMs?: number): Promise<{ url: string; token: string }>;
  count(): number;
}

export function inbox(smtp: TestSmtpServer, address: string, subject: RegExp): Inbox {
  let seen = 0;
  const mails = () => smtp.mails.filter((mail) => mail.to.includes(address) && subject.test(mail.subject));
  async function next(timeoutMs = 15_000): Promise<ReceivedMail> {
    const mail = await vi.waitUntil(() => (mails().length > seen ? mails().at(-1) : undefined), {
      timeout: timeoutMs,
      interval: 50,
    });
    seen = mails().length;
    return mail;
  }
  return {
    next,
    code: async (timeoutMs) => codeIn((await next(timeoutMs)).text),
    link: async (timeoutMs) => linkIn((await next(timeoutMs)).text),
    count: () => mails().length,
  };
}
