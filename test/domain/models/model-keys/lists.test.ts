import { expect, it } from "vitest";
import { userModels, userProviders } from "#src/db/schema/index.ts";
import { listCustomProviders, listModels } from "#src/domain/models/model-keys/index.ts";
import { newId } from "#src/lib/ids.ts";
import { modelSettings } from "#src/models/settings.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";

const { db } = await fileDatabase();
const modelKeySecrets = createSecrets("a secret key of thirty-two letters");
const settings = modelSettings({
  DEFAULT_MODEL: "gpt-5",
  PLATFORM_MODELS: "",
  BYOK_ENABLED_TIERS: "pro,ultra",
  PUBLIC_URL: "https://workspace.test",
});

it("providers and models that were added in the same moment are listed in one order", async () => {
  const { id: userId, caller } = await newColleague(db);
  const createdAt = new Date();
  const ids = Array.from({ length: 3 }, () => newId());
  for (const [nth, id] of [...ids.entries()].toReversed()) {
    // Neither the order of insertion nor that of an index is the one in which they are listed.
    const name = `own-${9 - nth}`;
    const provider = { name, slug: name, baseUrl: "https://models.test", apiType: "openai" as const };
    await db.insert(userProviders).values({ id, userId, createdAt, ...provider });
    const model = { modelId: name, modelName: name, provider: "openai" };
    await db.insert(userModels).values({ id, userId, createdAt, ...model });
  }
  const providers = await listCustomProviders({ db, modelKeySecrets }, userId);
  expect(providers.map(({ id }) => id)).toEqual(ids);
  const { models } = await listModels({ db, modelSettings: settings }, caller);
  expect(models.flatMap(({ customId }) => customId ?? [])).toEqual(ids);
});
