import { deliverMail } from "#src/domain/operations/mail/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Mail } from "#src/platform/mail/mailer.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { Db } from "#src/platform/db/client.ts";
import { sessionDeps } from "./people.ts";
import { keptQueue } from "./kept-queue.ts";

/** What use cases that mail take, with a mail server and a queue in memory. */
export function mailing(db: Db) {
  const sent: Mail[] = [];
  const published: QueueMessage[] = [];
  const server = { answers: true };
  const answer = async () => {
    if (!server.answers) throw new AppError("unavailable", "The mail server did not take the mail");
  };
  const log: Log = { info() {}, warn() {}, error() {}, with: () => log };
  const basic = sessionDeps(db);
  const deps = {
    ...basic,
    log,
    mailer: {
      configured: true,
      async send(mail: Mail) {
        await answer();
        sent.push(mail);
      },
      probe: answer,
    },
    queue: keptQueue(published).queue,
    config: {
      ...basic.config,
      SECRET_KEY: "a-secret-key-for-tests-of-32-characters",
      TWO_FA_ENABLED: true,
      TWO_FA_CODE_LENGTH: 6,
      TWO_FA_CODE_EXPIRY_SECONDS: 600,
      TWO_FA_MAX_ATTEMPTS: 5,
      TWO_FA_TEMP_TOKEN_EXPIRY_SECONDS: 600,
      TWO_FA_HASH_KIB: 8,
    },
  };

  /** The newest mail to an address, of what was sent and what the queue delivers now. */
  async function mailTo(address: string): Promise<Mail | undefined> {
    for (const { payload } of published.splice(0)) {
      await deliverMail(deps, JSON.parse(JSON.stringify(payload)));
    }
    return sent.findLast(({ to }) => to === address);
  }

  return {
    deps,
    sent,
    published,
    server,
    mailTo,
    codeFor: async (address: string) => codeIn((await mailTo(address))?.text),
    linkFor: async (address: string) => linkIn((await mailTo(address))?.text),
  };
}

/** The code of a mail. */
export function codeIn(text = ""): string {
  return /^\d+$/mu.exec(text)?.[0] ?? "";
}

/** A code that is not this one. */
export function otherThan(code: string): string {
  return code.replace(/\d$/u, (digit) => String((Number(digit) + 1) % 10));
}

/** The address of a mail, and the token in it. */
export function linkIn(text = ""): { url: string; token: string } {
  const url = /^https?:\S+$/mu.exec(text)?.[0] ?? "";
  return { url, token: URL.parse(url)?.searchParams.get("token") ?? "" };
}
