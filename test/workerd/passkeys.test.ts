import { expect, it } from "vitest";
import { createWebAuthn } from "#src/platform/webauthn/index.ts";
import { SoftwareAuthenticator } from "#test/support/software-authenticator.ts";

const ORIGIN = "https://service.test";
const CHALLENGE = "Y2hhbGxlbmdlIG9mIHRoaXMgdGVzdA";

it("a passkey is made and signs, and a wrong page is refused, in workerd too", async () => {
  const webAuthn = createWebAuthn({ publicUrl: ORIGIN, production: true });
  if (!webAuthn) throw new Error("There are no passkeys for this address");
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const user = { handle: "dXNlcg", name: "ada@example.com", displayName: "Ada" };
  const options = webAuthn.creationOptions({ challenge: CHALLENGE, user, existing: [] });
  for (const attestation of [undefined, "self"] as const) {
    const made = authenticator.create(options, attestation && { attestation });
    const checked = await webAuthn.verifyCreation(made, CHALLENGE);
    if ("refusal" in checked) throw checked.refusal;
    expect(checked.verified).toMatchObject({ id: made.id, counter: 1, isBackedUp: false });
    const asked = webAuthn.requestOptions(CHALLENGE);
    expect(await webAuthn.verifyAssertion(authenticator.get(asked), CHALLENGE, checked.verified)).toEqual({
      verified: { counter: 2, isBackedUp: false },
    });
    const elsewhere = authenticator.get(asked, { origin: "https://evil.example" });
    expect(await webAuthn.verifyAssertion(elsewhere, CHALLENGE, checked.verified)).toMatchObject({
      refusal: { message: expect.stringMatching(/origin/u) },
    });
  }
});
