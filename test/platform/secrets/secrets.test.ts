import { base64url } from "jose";
import { describe, expect, it } from "vitest";
import { createFernet, InvalidToken } from "#src/platform/secrets/fernet.ts";
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

describe("keys that change", () => {
  const SECRET = "one secret key of the service, kept";
  const ownKey = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));

  it("leave readable what was encrypted under the derived key", async () => {
    const before = await createSecrets(SECRET, { purpose: "p" }).encrypt("value");
    const after = createSecrets(SECRET, { purpose: "p", ownKey });
    expect(await after.decrypt(before)).toBe("value");
    await expect(
      createSecrets(SECRET, { purpose: "p" }).decrypt(await after.encrypt("value")),
    ).rejects.toThrow(InvalidToken);
  });

  it("leave readable what was encrypted under a previous SECRET_KEY", async () => {
    const before = await createSecrets(SECRET, { purpose: "p" }).encrypt("value");
    const now = "another secret key of the service";
    const after = createSecrets(now, { purpose: "p", previousSecretKey: SECRET });
    expect(await after.decrypt(before)).toBe("value");
    expect(await createSecrets(now, { purpose: "p" }).decrypt(await after.encrypt("value"))).toBe("value");
  });

  it("leave readable what was encrypted under the named ones, and nothing else", async () => {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(SECRET)));
    const tokens = await Promise.all(
      [hash, Uint8Array.from(base64url.decode(ownKey))].map(async (key) =>
        (await createFernet(key)).encrypt("value"),
      ),
    );
    const secrets = createSecrets(SECRET, { readable: [{ key: ownKey }, { hashOf: SECRET }] });
    for (const token of tokens) {
      expect(await secrets.decrypt(token)).toBe("value");
      await expect(createSecrets(SECRET).decrypt(token)).rejects.toThrow(InvalidToken);
    }
  });
});
