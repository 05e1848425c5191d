import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openDataDir } from "#local/data-dir.ts";
import { startNeon } from "#stand-ins/neon/index.ts";
import { adminActions, auditLog, userApiKeys } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createDb, type Db } from "#src/platform/db/client.ts";
import { createSecretsAtRest } from "#src/platform/secrets/secrets-at-rest.ts";
import { newTrips } from "#src/platform/trips.ts";
import { createDatabase, type ServerDatabase } from "#test/support/server-database.ts";
import { newPerson } from "#test/support/people.ts";

const dataDir = mkdtempSync(path.join(tmpdir(), "admin-"));
/** The embedded database takes seconds of a core to open: where there is a server, most commands run on one of its own. */
let external: ServerDatabase | undefined;
/** Registered second: the first account is an administrator here anyway. */
let email: string;
let userId: string;
beforeAll(async () => {
  cpSync(inject("template"), dataDir, { recursive: true });
  const server = process.env["TEST_DATABASE_URL"];
  if (server) external = await createDatabase(server, inject("templateDatabase"));
  await withDatabase(async (db) => {
    await newPerson(db, "first");
    const { user } = await newPerson(db, "second");
    ({ email, id: userId } = user);
  });
});
afterAll(async () => {
  await external?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function withDatabase<T>(run: (db: Db) => Promise<T>): Promise<T> {
  const bridge = await startNeon({ dataDir, databaseUrl: external?.databaseUrl });
  try {
    return await run(
      createDb({ databaseUrl: bridge.databaseUrl, httpUrl: bridge.httpUrl, trips: newTrips() }),
    );
  } finally {
    await bridge.close();
  }
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** `npm run admin`, without npm. */
const admin = (...args: string[]) => adminWith({}, ...args);

function adminWith(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  const env = { ...process.env, DATABASE_URL: external?.databaseUrl ?? "", DATA_DIR: dataDir, ...variables };
  return new Promise((resolve) => {
    const child = execFile(
      "sh",
      ["local/start.sh", "local/admin.ts", ...args],
      { env },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe("npm run admin", () => {
  it("makes an account an administrator, and notes it in the trail and in the account's log", async () => {
    expect(await admin("grant", email.toUpperCase())).toEqual({
      code: 0,
      stdout: `${email} is an administrator now.\n`,
      stderr: expect.stringContaining("never proved"),
    });
    expect((await admin("list")).stdout).toMatch(new RegExp(`^${email}  second-\\S+  \\(address not`, "mu"));
    await withDatabase(async (db) => {
      const [action] = await db.select().from(adminActions).orderBy(desc(adminActions.id)).limit(1);
      expect(action).toMatchObject({
        adminId: null,
        actionType: "account.updated",
        targetId: userId,
        reason: "npm run admin",
        details: { is_superuser: true },
      });
      const own = await db.select().from(auditLog).where(eq(auditLog.resourceId, userId));
      expect(own).toMatchObject([{ action: "account.updated", details: { is_superuser: true } }]);
    });
  });

  it("encrypts under the keys of today what is stored under previous ones", async () => {
    const [before, now] = ["a secret key of 32 characters, once", "a secret key of 32 characters, now"];
    const token = await createSecretsAtRest({ SECRET_KEY: before }).modelKeySecrets.encrypt("sk-own");
    const value = { id: newId(), userId, provider: "openai", keyName: "own", encryptedValue: token };
    await withDatabase((db) => db.insert(userApiKeys).values(value));
    const variables = { SECRET_KEY: now, PREVIOUS_SECRET_KEY: before };
    expect(await adminWith(variables, "reencrypt")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("user_api_keys.encrypted_value: 1 encrypted anew\n"),
    });
    const [row] = await withDatabase((db) => db.select().from(userApiKeys));
    expect(
      await createSecretsAtRest({ SECRET_KEY: now }).modelKeySecrets.decrypt(row?.encryptedValue ?? ""),
    ).toBe("sk-own");
  });

  it("opens the embedded database of its folder, and refuses a key that is too short", async () => {
    expect(await adminWith({ DATABASE_URL: "", SECRET_KEY: "short" }, "reencrypt")).toEqual({
      code: 1,
      stdout: "",
      stderr: "SECRET_KEY: must have at least 32 characters\n",
    });
  });

  it("names the folder of a service that is running, and fails", async () => {
    const held = openDataDir(dataDir, () => undefined);
    expect(await adminWith({ DATABASE_URL: "" }, "grant", email)).toEqual({
      code: 1,
      stdout: "",
      stderr: `DATA_DIR: ${dataDir} is in use by a service that is running\n`,
    });
    held.release();
  });
});
