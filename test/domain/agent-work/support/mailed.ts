import { sql } from "drizzle-orm";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Services } from "#src/services.ts";
import { newColleague, type Colleague } from "#test/support/colleagues.ts";
import { partOf } from "#test/support/part-of.ts";

/** A person, whether they want mails about tasks, and whether their address is confirmed. */
export async function mailReader(
  db: Db,
  { wantsMail = true, isVerified = true }: { wantsMail?: boolean; isVerified?: boolean } = {},
): Promise<Colleague> {
  const person = await newColleague(db);
  await db.execute(
    sql`UPDATE users SET task_mail = ${wantsMail}, is_verified = ${isVerified} WHERE id = ${person.id}`,
  );
  return person;
}

/** Services with a mail server, whose mails are kept as text. */
export function mailed(db: Db, { configured = true } = {}) {
  const mails: string[] = [];
  const deps = partOf<Services>({
    db,
    config: partOf({
      PUBLIC_URL: "https://service.test",
      APP_BASE_URL: "https://workspace.test",
      APPROVAL_EXPIRE_HOURS: 1,
    }),
    mailer: partOf({ configured }),
    secrets: partOf({
      encrypt: async (text: string) => {
        mails.push(text.trim());
        return text;
      },
    }),
    taskLogs: partOf({ close: async () => {}, settle: async () => {} }),
    followUps: FOLLOW_UPS,
    queue: { publish: async () => {} },
    log: partOf({ warn: () => {}, error: () => {}, info: () => {} }),
  });
  return { deps, mails };
}
