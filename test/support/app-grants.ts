import { createHash, randomBytes } from "node:crypto";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { startSession } from "#src/domain/access/sessions/index.ts";
import {
  decideRequest,
  exchangeCode,
  openRequest,
  registerClient,
} from "#src/domain/programs/connected-apps/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { DEFAULT_CEILINGS } from "./ceilings.ts";
import { keptQueue } from "./kept-queue.ts";
import { callerOf, CLIENT, sessionDeps } from "./people.ts";

const REDIRECT_URI = "http://localhost:1455/callback";
export const SCOPES = ["project.list", "file.read", "chat.send"] as const;

/** What connected apps take. No document of a client is read. */
export function appDeps(db: Db, config: Partial<typeof DEFAULT_CEILINGS> = {}) {
  const { config: others, secrets, attempts } = sessionDeps(db);
  return {
    db,
    secrets,
    attempts,
    ...keptQueue(),
    safeFetch: () => Promise.reject(new Error("No document was to be read")),
    config: {
      ...others,
      ...DEFAULT_CEILINGS,
      ...config,
      SECRET_KEY: "a-secret-key-for-tests-of-32-characters",
      DESKTOP_SCHEME: "workspace",
      MCP_REDIRECT_HOSTS: [] as string[],
    },
  };
}

export type AppDeps = ReturnType<typeof appDeps>;

/** The caller of a new session of a person's. */
export async function freshCaller(db: Db, userId: string): Promise<UserCaller> {
  const deps = sessionDeps(db);
  return callerOf(deps, await startSession(deps, { id: userId, isSuperuser: false }, CLIENT, "password"));
}

/** What a client asks for, with the verifier that it keeps. */
export function newQuestion(deps: AppDeps, redirectUri = REDIRECT_URI) {
  const { clientId } = registerClient(deps, { name: "Laptop client", redirectUris: [redirectUri] });
  const verifier = randomBytes(40).toString("base64url");
  const asked = {
    clientId,
    redirectUri,
    responseType: "code",
    scope: undefined,
    state: "its-state",
    codeChallenge: createHash("sha256").update(verifier).digest("base64url"),
    codeChallengeMethod: "S256",
    resource: undefined,
  };
  return { asked, clientId, verifier };
}

/**
 * A code that a person has allowed in their session, and what its client keeps. `team` is a slug; without one it is for their
 * active team.
 */
export async function allowedCode(
  deps: AppDeps,
  caller: UserCaller,
  scopes: readonly string[] = SCOPES,
  team?: string,
) {
  const { asked, clientId, verifier } = newQuestion(deps);
  const opened = await openRequest(deps, caller, asked, SCOPES);
  if (!("id" in opened)) throw new Error(opened.detail);
  const input = { decision: "allow", scopes, team } as const;
  const { redirectTo } = await decideRequest(deps, caller, opened.id, input, CLIENT);
  const code = new URL(redirectTo).searchParams.get("code") ?? "";
  const exchangeInput = {
    code,
    clientId,
    redirectUri: REDIRECT_URI,
    codeVerifier: verifier,
    resource: undefined,
  };
  return { requestId: opened.id, clientId, verifier, exchangeInput };
}

/** A connected app of a person, with its tokens, in a team or in their active one. */
export async function connectedApp(deps: AppDeps, caller: UserCaller, team?: string) {
  const { exchangeInput, clientId } = await allowedCode(deps, caller, SCOPES, team);
  return { clientId, ...(await exchangeCode(deps, exchangeInput, CLIENT)) };
}
