import { expect, it } from "vitest";
import { knownSecrets, sealedOfTask } from "#src/agent/scrubbing/known-secrets.ts";
import {
  deploymentCredentials,
  deployments,
  deploymentSites,
  gitConnections,
  userApiKeys,
} from "#src/db/schema/index.ts";
import { createContainer } from "#src/domain/workspaces/containers/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { containerDeps } from "#test/support/container-deps.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { storeTask } from "#test/support/stored-task.ts";
import { fileDatabase } from "#test/support/database.ts";

const database = await fileDatabase();

const SECRET_KEY = "a-secret-key-for-tests-of-32-characters";
const secrets = createSecrets(SECRET_KEY);
const modelKeySecrets = createSecrets(SECRET_KEY, { purpose: "model-keys" });
const deploymentSecrets = createSecrets(SECRET_KEY, { purpose: "deployment" });

it("knows the variables of a project's containers and deployments, and its user's tokens and keys", async () => {
  const { db } = database;
  const [owner, other] = [await newColleague(db), await newColleague(db)];
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const [project, foreign] = [
    await createProject({ db }, owner.caller, wish),
    await createProject({ db }, other.caller, wish),
  ];
  const deps = containerDeps({ db, secrets });
  await createContainer(deps, owner.caller, project.id, {
    name: "web",
    env: { API_KEY: "one", MODE: "two" },
  });
  await createContainer(deps, owner.caller, project.id, {
    name: "mail",
    deploymentMode: "external",
    externalEndpoint: "https://mail.example",
    credentials: { MAIL_TOKEN: "three" },
  });
  // Encrypted under a key that is gone: it cannot be read, and the rest is known all the same.
  const lost = { ...deps, secrets: createSecrets("another-key-for-tests-of-32-characters!") };
  await createContainer(lost, owner.caller, project.id, { name: "old", env: { OLD: "four" } });
  await createContainer(deps, other.caller, foreign.id, { name: "web", env: { THEIRS: "five" } });
  await connect(owner.id, "github", "six", "seven");
  await connect(owner.id, "gitlab", "eight", null);
  await connect(other.id, "github", "nine", null);

  await giveKey(owner.id, "openai", "ten");
  await giveKey(other.id, "groq", "eleven");
  await host(owner.id, project.id, "twelve");
  await host(other.id, foreign.id, "thirteen");
  const { taskId } = await storeTask(
    db,
    { ...owner, defaultTeamId: owner.personalTeamId },
    { projectId: project.id, status: "running" },
  );
  const sealed = await db.batch(sealedOfTask(db, taskId));
  const known = await knownSecrets({ secrets, deploymentSecrets, modelKeySecrets }, sealed);
  expect(Object.fromEntries(known.map(({ name, value }) => [name, value]))).toEqual({
    API_KEY: "one",
    MODE: "two",
    MAIL_TOKEN: "three",
    GITHUB_TOKEN: "six",
    GITHUB_REFRESH_TOKEN: "seven",
    GITLAB_TOKEN: "eight",
    OPENAI_API_KEY: "ten",
    NETLIFY_TOKEN: "twelve",
    NETLIFY_CLIENT_SECRET: "twelve, too",
    ADDRESS: "of twelve",
  });
  expect(known.every(({ declared }) => declared)).toBe(true);
});

async function giveKey(userId: string, provider: string, value: string) {
  const encryptedValue = await modelKeySecrets.encrypt(value);
  await database.db
    .insert(userApiKeys)
    .values({ id: newId(), userId, provider, authType: "api_key", keyName: "key", encryptedValue });
}

async function connect(userId: string, provider: "github" | "gitlab", token: string, refresh: string | null) {
  await database.db.insert(gitConnections).values({
    id: newId(),
    userId,
    provider,
    authType: "oauth_token",
    encryptedToken: await deploymentSecrets.encrypt(token),
    encryptedRefreshToken: refresh === null ? null : await deploymentSecrets.encrypt(refresh),
  });
}

/** A hosting credential, and a deployment that was made with it. */
async function host(userId: string, projectId: string, token: string) {
  const { db } = database;
  const seal = (fields: object) => deploymentSecrets.encrypt(JSON.stringify(fields));
  await db.insert(deploymentCredentials).values({
    id: newId(),
    userId,
    provider: "netlify",
    authType: "token",
    encryptedToken: await deploymentSecrets.encrypt(token),
    encryptedMetadata: await seal({ client_secret: `${token}, too` }),
  });
  const site = { id: newId(), userId, projectId, provider: "netlify" } as const;
  await db.insert(deploymentSites).values({ ...site, madeFor: `${projectId}/-`, account: "a", name: "a" });
  const settings = {
    directory: "",
    framework: null,
    buildCommand: null,
    outputDirectory: null,
    branch: null,
    again: null,
  };
  const deployment = { ...site, siteId: site.id, version: 1, mode: "pre-built", settings } as const;
  const encryptedEnv = await seal({ ADDRESS: `of ${token}` });
  await db.insert(deployments).values({ ...deployment, encryptedEnv });
}
