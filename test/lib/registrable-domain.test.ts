import { expect, it } from "vitest";
import { registrableDomain } from "#src/lib/registrable-domain.ts";

it.each([
  ["EXAMPLE.com.", "example.com"],
  ["a.b.example.co.uk", "example.co.uk"],
  ["co.uk", undefined],
  ["app.me.workers.dev", "me.workers.dev"],
  // A name that is on no list: its last label counts as a suffix, as in browsers.
  ["app.corp.internal", "corp.internal"],
  ["localhost", undefined],
  ["[::1]", undefined],
])("of %s is registered: %s", (host, registered) => {
  expect(registrableDomain(host)).toBe(registered);
});
