import { expect, it } from "vitest";
import { registrableDomain } from "#src/lib/registrable-domain.ts";

it.each([
  ["app.example.com", "example.com"],
  ["EXAMPLE.com.", "example.com"],
  ["a.b.example.co.uk", "example.co.uk"],
  ["co.uk", undefined],
  ["app.me.workers.dev", "me.workers.dev"],
  ["site.pages.dev", "site.pages.dev"],
  ["workers.dev", undefined],
  // A name that is on no list: its last label counts as a suffix, as in browsers.
  ["app.corp.internal", "corp.internal"],
  ["localhost", undefined],
  ["127.0.0.1", undefined],
  ["[::1]", undefined],
])("of %s is registered: %s", (host, registered) => {
  expect(registrableDomain(host)).toBe(registered);
});
