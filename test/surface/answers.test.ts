import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startGitHost } from "#test/support/git-host-server.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { REGISTERED } from "#test/support/oauth-provider.ts";
import { startService } from "#test/support/service.ts";
import { addressOf, estatesOf, smallestBody } from "./estate.ts";
import { OCCASIONS } from "./occasions.ts";
import { operationsOf, readDocument, validatorOf, type Operation } from "./operations.ts";

// Started while the tests are collected: every documented operation is a test.
const [git, gitHost] = await Promise.all([startGitServer(), startGitHost("gitlab")]);
const service = await startService({
  GITHUB_CLIENT_ID: "id",
  GITHUB_CLIENT_SECRET: "secret",
  GITLAB_CLIENT_ID: REGISTERED.clientId,
  GITLAB_CLIENT_SECRET: REGISTERED.clientSecret,
  GITLAB_API_BASE_URL: gitHost.url,
  OUTBOUND_ALLOW_PRIVATE: "true",
});
/** Where a password is not enough. */
const twoFactor = await startService({ TWO_FA_ENABLED: "true" });
afterAll(async () => {
  await Promise.all([service.close(), twoFactor.close()]);
  await Promise.all([git.close(), gitHost.close()]);
});
const document = await readDocument(service);
const operations = operationsOf(document).filter(({ isAlias }) => !isAlias);
const admin = await service.signUp("admin");
const estateFor = estatesOf(service);

async function call(operation: Operation) {
  const estate = await estateFor(operation);
  const { keys, person, permission, name } = operation;
  const signedIn = permission === "superuser" ? admin.token : estate.owner.token;
  const json = smallestBody(document, operation, estate.samples);
  const occasion = await OCCASIONS[name]?.({ service, twoFactor, estate, git, gitHost });
  const { at = service, address, ...request } = occasion ?? { ...(json && { json }) };
  const token = keys && !person ? estate.key : signedIn;
  return at.call(operation.method, address ?? addressOf(operation, estate.samples), { token, ...request });
}

describe("the answer of", () => {
  it.concurrent.each(operations)("$name is the documented one", async (operation) => {
    const { status, headers, text, body } = await call(operation);
    const success = Object.entries(operation.responses).find(([each]) => /^[23]/u.test(each));
    expect({ status, text }).toEqual({ status: Number(success?.[0]), text });
    const [mediaType, media] = Object.entries(success?.[1].content ?? {})[0] ?? [];
    expect(headers.get("content-type")?.split(";")[0]).toBe(mediaType);
    const validator = media ? validatorOf(document, media.schema) : z.literal("");
    expect(validator.safeParse(body).error?.issues).toBeUndefined();
  });
});
