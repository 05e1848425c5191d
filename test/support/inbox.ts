import { vi } from "vitest";
import { codeIn, linkIn } from "./mailbox.ts";
import type { SharedService } from "./shared-service.ts";
import type { ReceivedMail, TestSmtpServer } from "./smtp-server.ts";

/** What came for one address, of one subject. */
interface MailReader<M> {
  /** The newest mail that was not asked for before; waits for it. */
  next(): Promise<M>;
  /** The code of the next mail. */
  code(): Promise<string>;
  /** The address in the next mail, and the token of it. */
  link(): Promise<{ url: string; token: string }>;
}

interface Inbox extends MailReader<ReceivedMail> {
  count(): number;
}

function readerOf<M extends { text: string }>(mails: () => readonly M[] | Promise<readonly M[]>) {
  let seen = 0;
  async function next(): Promise<M> {
    return vi.waitFor(
      async () => {
        const came = await mails();
        const newest = came.at(-1);
        if (!newest || came.length === seen) throw new Error("No other mail has come");
        seen = came.length;
        return newest;
      },
      { interval: 50 },
    );
  }
  return {
    next,
    code: async () => codeIn((await next()).text),
    link: async () => linkIn((await next()).text),
  };
}

export function inbox(smtp: TestSmtpServer, address: string, subject: RegExp): Inbox {
  const mails = () => smtp.mails.filter((mail) => mail.to.includes(address) && subject.test(mail.subject));
  return { ...readerOf(mails), count: () => mails().length };
}

interface CaughtMail {
  subject: string;
  text: string;
}

/** The same, of a service that catches its mail: of all that it sends it keeps the last hundred. */
export function caughtInbox(
  { stack }: Pick<SharedService, "stack">,
  address: string,
  subject: RegExp,
): MailReader<CaughtMail> {
  const url = `${stack.mailUrl}/?to=${encodeURIComponent(address)}`;
  return readerOf(async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as stand-ins/mail answers
    const caught = (await (await fetch(url)).json()) as CaughtMail[];
    return caught.filter((mail) => subject.test(mail.subject));
  });
}
