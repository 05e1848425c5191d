import { afterAll, beforeAll, expect, it } from "vitest";
import { claimFlow, openFlow } from "#src/domain/people/oauth/flow.ts";
import { newId } from "#src/lib/ids.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { createOAuthStates } from "#src/platform/tokens/oauth-states.ts";
import { openDatabase } from "#test/support/database.ts";

const SECRET = "a-secret-key-for-tests-of-32-characters";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const deps = () => ({
  db: database.db,
  oauthStates: createOAuthStates({ secret: SECRET }),
  secrets: createSecrets(SECRET),
});
const REFUSED = { refusal: "INVALID_STATE_TOKEN" };

it("a connection is finished by the session that began it, once, and by no other", async () => {
  const sessionId = newId();
  const { flow, cookie } = await openFlow(deps(), "git:github", { sessionId });
  const claim = (presented: { sessionId?: string }) =>
    claimFlow(deps(), "git:github", { state: flow.state, cookie: cookie.value, ...presented });
  expect(await claim({ sessionId: newId() })).toEqual(REFUSED);
  expect(await claim({})).toEqual(REFUSED);
  expect(await claim({ sessionId })).toMatchObject({ flow });
  expect(await claim({ sessionId })).toEqual(REFUSED);
});

it("a state is good for its own purpose and its own browser", async () => {
  const sessionId = newId();
  const { flow, cookie } = await openFlow(deps(), "git:github", { sessionId });
  const other = await openFlow(deps(), "git:github", { sessionId });
  const presented = { state: flow.state, cookie: cookie.value, sessionId };
  expect(await claimFlow(deps(), "git:gitlab", presented)).toEqual(REFUSED);
  expect(await claimFlow(deps(), "git:github", { ...presented, cookie: other.cookie.value })).toEqual(
    REFUSED,
  );
  expect(await claimFlow(deps(), "git:github", { ...presented, cookie: undefined })).toEqual(REFUSED);
});
