import { queueNotice, serverNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import type { Db } from "#src/platform/db/client.ts";
import { defineJob, type Attempt, type Outcome } from "#src/work/job.ts";
import { ownersDue } from "./due.ts";
import { ownersToMail } from "./queries/owners.ts";

/** Seconds until a mail that could not be handed over is tried again. */
const PAUSES = [10, 60, 300] as const;

export type OwnerMailDeps = MailDeps & {
  db: Db;
  attempts: Pick<AttemptLimits, "take">;
  config: ConsoleConfig;
};

/**
 * Mails to a server's owners that it needs authorization, where they want mails about tasks and it still does: once a day, also
 * of a server that comes and goes. An attempt after the first goes on with the day's mail, which may then come twice.
 */
export const mailOwners = defineJob(ownersDue, {
  pauses: PAUSES,
  async run(
    deps: OwnerMailDeps,
    { payload: { serverId }, attempt }: Attempt<{ serverId: string }, undefined>,
  ): Promise<Outcome> {
    if (!deps.mailer.configured) return { kind: "done" };
    const owners = await ownersToMail(deps.db, serverId);
    if (owners.length === 0) return { kind: "done" };
    const isFirst = attempt === 1;
    const decision = isFirst ? await deps.attempts.take("serverMail", `serverMail:${serverId}`) : undefined;
    if (decision?.allowed === false) return { kind: "done" };
    const link = consoleUrl(deps.config, `/app/mcp-servers/${serverId}`);
    for (const { name, email } of owners) await queueNotice(deps, email, serverNotice({ name, link }));
    return { kind: "done" };
  },
});
