import { requireAgent } from "#src/domain/agent-work/agents/index.ts";
import { memberCaller, type UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Channel } from "./queries.ts";
import { type Credentials, MASK, openCredentials, type ShowDeps } from "./show-channel.ts";

/**
 * The project must let the caller manage channels, and the agent be one of the caller's team. A channel works without a
 * sign-in, so that an administrator's rights do not count.
 */
export async function requireTargets(
  deps: { db: Db },
  caller: UserCaller,
  {
    projectId,
    defaultAgentId,
  }: { projectId?: string | null | undefined; defaultAgentId?: string | null | undefined },
): Promise<void> {
  if (projectId) await requireProject(deps, memberCaller(caller.userId), projectId, "channel.manage");
  if (!defaultAgentId) return;
  const { teamId } = await requireTeam(deps, caller, "agent.view");
  await requireAgent(deps.db, teamId, defaultAgentId);
}

/**
 * Credentials as their platform takes them. Throws `invalid_body` for masked values and when something is missing, and
 * `invalid_input` in production for those of the chat platform of `npm start`.
 */
export function checkCredentials(
  { channels, config }: Pick<ShowDeps, "channels"> & { config: { ENVIRONMENT: string } },
  channelType: Platform,
  given: Credentials,
): Credentials {
  if (JSON.stringify(given).includes(MASK)) {
    throw new AppError(
      "invalid_body",
      "credentials: a value is masked: send the whole value, or leave it out",
    );
  }
  const adapter = channels[channelType];
  const parsed = adapter.credentials.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = ["credentials", ...(issue?.path ?? [])].join(".");
    const isMissing = issue?.code === "invalid_type" && issue.message.endsWith("received undefined");
    throw new AppError("invalid_body", `${field}: ${isMissing ? "is required" : issue?.message}`);
  }
  if (config.ENVIRONMENT === "production" && adapter.isStandIn?.(parsed.data) === true) {
    throw new AppError(
      "invalid_input",
      "credentials: stand-in bots are for trying the service, not for production",
    );
  }
  return { ...parsed.data };
}

/** Earlier credentials with the given ones in their place; where the earlier ones are lost, the given ones. */
export async function mergedCredentials(
  deps: Pick<ShowDeps, "channelSecrets">,
  channel: Channel,
  given: Credentials,
): Promise<Credentials> {
  const earlier = await openCredentials(deps, channel).catch(() => undefined);
  return { ...earlier, ...given };
}
