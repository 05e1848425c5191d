import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { auditLog } from "#src/db/schema/index.ts";
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  removePasskey,
  signInWithPasskey,
} from "#src/domain/people/passkeys/index.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import { createWebAuthn } from "#src/platform/webauthn/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { OAuthProvider } from "#src/platform/oauth/provider.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { CreationOptions } from "#src/platform/webauthn/webauthn.ts";
import type { ApiClient } from "./api-client.ts";
import { mailing } from "./mailbox.ts";
import { CLIENT, newPerson } from "./people.ts";
import { SoftwareAuthenticator, type Told } from "./software-authenticator.ts";

export const ORIGIN = "https://service.test";

/** What use cases of passkeys take, with a mail server in memory. No provider has credentials. */
export function passkeyWorld(db: Db) {
  const mail = mailing(db);
  const noProviders: Record<"github" | "google", OAuthProvider | undefined> = {
    github: undefined,
    google: undefined,
  };
  const webAuthn = createWebAuthn({ publicUrl: ORIGIN, production: true });
  const attempts: AttemptLimits = mail.deps.attempts;
  return { mail, deps: { ...mail.deps, attempts, oauth: noProviders, webAuthn } };
}

export type PasskeyDeps = ReturnType<typeof passkeyWorld>["deps"];

/** What shows that the person is there. The session of a test is fresh. */
export const NO_PROOF = { currentPassword: undefined, code: undefined };

/** Adds a passkey of this authenticator to the caller's account. */
export async function newPasskey(
  deps: PasskeyDeps,
  caller: UserCaller,
  authenticator = new SoftwareAuthenticator(ORIGIN),
  { name = "Laptop", ...told }: Told & { name?: string } = {},
) {
  const { options, cookie } = await beginPasskey(deps, caller, NO_PROOF, CLIENT);
  const { transports, ...credential } = apart(authenticator.create(options, told));
  const added = { name, credential, transports, cookie: cookie.value };
  const passkey = await addPasskey(deps, caller, added, CLIENT);
  return { passkey, authenticator };
}

/** What makes and removes passkeys of a person, under these ceilings. */
export function passkeysOf(caller: UserCaller, { db, config }: { db: Db; config: object }) {
  const { deps } = passkeyWorld(db);
  const limited = { ...deps, config: { ...deps.config, ...config } };
  return {
    make: async () => (await newPasskey(limited, caller)).passkey.id,
    remove: (id: string) => removePasskey(limited, caller, { id, ...NO_PROOF }, CLIENT),
  };
}

/** A person with a passkey, and a session that has just begun. */
export async function passkeyHolder(deps: PasskeyDeps, authenticator = new SoftwareAuthenticator(ORIGIN)) {
  const person = await newPerson(deps.db);
  return { ...person, ...(await newPasskey(deps, person.caller, authenticator)) };
}

/** The actions in a person's own log. */
export async function auditedOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db.select().from(auditLog).where(eq(auditLog.userId, userId));
  return rows.map(({ action }) => action);
}

export const refused = (code: string, message: RegExp = /./u): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
export const NOT_ACCEPTED = refused("unauthenticated", /^This passkey was not accepted/u);
export const NOT_THIS_BROWSER = refused("invalid_input", /begun in another browser/u);

/** A new credential and its transports, as the route hands them on. */
export function apart({
  id,
  response: { transports, ...response },
}: ReturnType<SoftwareAuthenticator["create"]>) {
  return { id, response, transports };
}

/** An assertion, as the route hands it on. */
export function presented(
  { id, response }: ReturnType<SoftwareAuthenticator["get"]>,
  cookie: string | undefined,
) {
  const { userHandle, ...signed } = response;
  return { assertion: { id, response: signed }, userHandle, cookie };
}

/** Adds a passkey of a new authenticator over HTTP, as the page of the account does. */
export async function passkeyOver(service: ApiClient, token: string, name = "Laptop") {
  const { body: flags } = await service.call<{ passkey_origin: string }>("GET", "/api/feature-flags");
  const authenticator = new SoftwareAuthenticator(flags.passkey_origin);
  const path = "/api/users/me/passkeys";
  const begun = await service.call<CreationOptions>("POST", `${path}/options`, { token, json: {} });
  const json = { name, credential: authenticator.create(begun.body) };
  const cookie = begun.headers.getSetCookie().map((each) => each.split(";")[0]);
  const headers = { cookie: cookie.join("; ") };
  const added = await service.call<{ id: string }>("POST", path, { token, json, headers });
  if (added.status !== 201) throw new Error(`No passkey was added: ${added.text}`);
  return { id: added.body.id, authenticator };
}

/** Signs in with the newest passkey of this authenticator. */
export async function signInBy(
  deps: PasskeyDeps,
  authenticator: SoftwareAuthenticator,
  told: Told = {},
  client = CLIENT,
) {
  const { options, cookie } = await beginPasskeySignIn(deps);
  return signInWithPasskey(deps, presented(authenticator.get(options, told), cookie.value), client);
}
