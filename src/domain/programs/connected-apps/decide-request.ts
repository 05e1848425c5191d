import { isScope, roleGrants, type UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Client } from "#src/domain/access/sessions/index.ts";
import { requireTeam, type Membership } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import { newToken } from "#src/lib/random-token.ts";
import type { Db } from "#src/platform/db/client.ts";
import { addressBack, requireOpen } from "./open-request.ts";
import { decideRequest as storeDecision, requestOfSession } from "./queries.ts";
import { placeOf } from "./redirect-uris.ts";

/** Seconds in which a client can exchange its code. */
const CODE_SECONDS = 60;

export type DecisionInput =
  | { decision: "deny" }
  /** `scopes` are those that are left of what the client asked for; `team` is a slug, the default team when absent. */
  | { decision: "allow"; scopes: readonly string[]; team: string | undefined };

interface Deps {
  db: Db;
  config: CeilingConfig<"connected_apps"> & { PUBLIC_URL: string };
}

/**
 * Allows or denies a request that the caller's session has opened, and returns the address that tells the client. Of concurrent
 * decisions, only the first counts. A permission that the person's role in the team lacks is left out. Throws `not_found` for another
 * session's request or a foreign team, `conflict`, `gone`, `invalid_input` when no permission is left or at the most connected apps.
 */
export async function decideRequest(
  deps: Deps,
  caller: UserCaller,
  requestId: string,
  input: DecisionInput,
  client: Client,
): Promise<{ redirectTo: string }> {
  const { sessionId, userId } = caller;
  const find = async () =>
    isId(requestId) ? (await requestOfSession(deps.db, { id: requestId, sessionId }))[0] : undefined;
  const request = requireOpen(await find());
  const { token: code, hash: codeHash } = newToken();
  const isAllowed = input.decision === "allow";
  const team = isAllowed ? await requireTeam(deps, caller, "team.view", input.team) : undefined;
  const scopes = isAllowed && team ? allowedScopes(request.scopes, input.scopes, team) : [];
  const isDecided = await storeDecision(
    deps,
    {
      id: requestId,
      sessionId,
      allowed: team ? { teamId: team.teamId, scopes, codeHash, codeSeconds: CODE_SECONDS } : null,
    },
    {
      userId,
      ...(team && { teamId: team.teamId }),
      action: isAllowed ? "connected_app.allowed" : "connected_app.denied",
      resourceType: "connected_app",
      resourceId: requestId,
      details: {
        client_name: request.clientName,
        returns_to: placeOf(request.redirectUri),
        ...(isAllowed && { scopes }),
      },
      client,
    },
  );
  // Between the two statements it was decided or expired.
  if (!isDecided) requireOpen(await find());
  const { redirectUri, state } = request;
  const said: Record<string, string> = isAllowed
    ? { code }
    : { error: "access_denied", error_description: "The person denied access" };
  return { redirectTo: addressBack({ redirectUri, state, config: deps.config }, said) };
}

/** What is left: asked for by the client, allowed by the person, granted by the role. */
function allowedScopes(asked: readonly string[], left: readonly string[], { role }: Membership): string[] {
  const allowed = asked.filter((scope) => left.includes(scope) && isScope(scope) && roleGrants(role, scope));
  if (allowed.length > 0) return allowed;
  throw new AppError(
    "invalid_input",
    `Allow at least one permission that your role in the team has (role: ${role})`,
  );
}
