import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { gitConnections, userApiKeys } from "#src/db/schema/index.ts";
import { reencrypt } from "#src/domain/operations/secrets-at-rest/index.ts";
import { ENCRYPTED } from "#src/domain/operations/secrets-at-rest/reencrypt.ts";
import { newId } from "#src/lib/ids.ts";
import { createSecretsAtRest, type EncryptionConfig } from "#src/platform/secrets/secrets-at-rest.ts";
import { fileDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";

const { db } = await fileDatabase();
const userId = (await newPerson(db)).user.id;

const BEFORE = "the secret key of this installation, once";
const NOW = "the secret key of this installation, today";
const secretsUnder = (config: Partial<EncryptionConfig>) =>
  createSecretsAtRest({ SECRET_KEY: NOW, ...config });

async function storeKeys(tokens: readonly string[]): Promise<string[]> {
  const rows = tokens.map((encryptedValue) => ({ id: newId(), encryptedValue }));
  await db
    .insert(userApiKeys)
    .values(rows.map((row) => ({ ...row, userId, provider: "openai", keyName: row.id })));
  return rows.map(({ id }) => id);
}

async function storedKey(id: string): Promise<string> {
  const [row] = await db.select().from(userApiKeys).where(eq(userApiKeys.id, id));
  return row?.encryptedValue ?? "";
}

it("knows every encrypted column of the schema", async () => {
  const { rows } = await db.execute<{ name: string }>(sql`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name LIKE '%encrypted%'
  `);
  expect(ENCRYPTED.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  );
});

it("re-encrypts values of previous keys under the current one, and leaves unreadable ones", async () => {
  const old = secretsUnder({ SECRET_KEY: BEFORE, ENCRYPTION_KEY: "a key for model keys alone, 32 long" });
  const foreign = await secretsUnder({ SECRET_KEY: "another installation" }).secrets.encrypt("x");
  const [own = "", derived = "", lost = ""] = await storeKeys([
    await old.modelKeySecrets.encrypt("sk-own"),
    await secretsUnder({ SECRET_KEY: BEFORE }).modelKeySecrets.encrypt("sk-derived"),
    foreign,
  ]);
  await db.insert(gitConnections).values({
    id: newId(),
    userId,
    provider: "github",
    authType: "personal_access_token",
    encryptedToken: await old.deploymentSecrets.encrypt("ghp_token"),
  });

  const columns = await reencrypt({
    db,
    ...secretsUnder({
      PREVIOUS_SECRET_KEY: BEFORE,
      PREVIOUS_ENCRYPTION_KEY: "a key for model keys alone, 32 long",
    }),
  });

  const today = secretsUnder({});
  expect(await today.modelKeySecrets.decrypt(await storedKey(own))).toBe("sk-own");
  expect(await today.modelKeySecrets.decrypt(await storedKey(derived))).toBe("sk-derived");
  expect(await storedKey(lost)).toBe(foreign);
  const [connection] = await db.select().from(gitConnections).where(eq(gitConnections.userId, userId));
  expect(await today.deploymentSecrets.decrypt(connection?.encryptedToken ?? "")).toBe("ghp_token");
  const keys = columns.find(({ table }) => table === "user_api_keys");
  expect(keys).toMatchObject({ column: "encrypted_value", rewritten: 2, unreadable: 1 });
});

it("goes through more than a page, and may be repeated", async () => {
  const today = secretsUnder({ PREVIOUS_SECRET_KEY: BEFORE });
  const token = await secretsUnder({ SECRET_KEY: BEFORE }).modelKeySecrets.encrypt("sk");
  const ids = await storeKeys(Array.from({ length: 210 }, () => token));
  await reencrypt({ db, ...today });
  await reencrypt({ db, ...today });
  const { modelKeySecrets } = secretsUnder({});
  for (const id of [ids[0], ids[199], ids[209]]) {
    expect(await modelKeySecrets.decrypt(await storedKey(id ?? ""))).toBe("sk");
  }
});
