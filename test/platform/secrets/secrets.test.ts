import { expect, it } from "vitest";
import { InvalidToken } from "#src/platform/secrets/fernet.ts";
import { createSecrets } from "#src/platform/secrets/secrets.ts";

it("reads what was encrypted under the same SECRET_KEY, in another process too", async () => {
  const token = await createSecrets("one secret key of the service, kept").encrypt("whsec_value");
  expect(token).not.toContain("whsec");
  expect(await createSecrets("one secret key of the service, kept").decrypt(token)).toBe("whsec_value");
});

it("refuses what was encrypted under another SECRET_KEY", async () => {
  const token = await createSecrets("one secret key of the service, kept").encrypt("whsec_value");
  await expect(createSecrets("another secret key of the service").decrypt(token)).rejects.toThrow(
    InvalidToken,
  );
});

it("never makes the same token twice", async () => {
  const secrets = createSecrets("one secret key of the service, kept");
  expect(await secrets.encrypt("same")).not.toBe(await secrets.encrypt("same"));
});
