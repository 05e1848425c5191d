import { expect, it } from "vitest";
import { loggedPath } from "#src/http/logged-path.ts";

it("shows no token that a path carries", () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  expect(loggedPath(`/api/chat/ws/${token}`)).toBe("/api/chat/ws/…");
  expect(loggedPath(`/api/chat/ws//${token}/x`)).toBe("/api/chat/ws//…/x");
  expect(loggedPath("/api/chat/ws/tsk_abc")).toBe("/api/chat/ws/…");
  expect(loggedPath(`/preview/app/web/~${token}/page`)).toBe("/preview/app/web/~…/page");
  expect(loggedPath(`/invitations/${"a".repeat(64)}`)).toBe("/invitations/…");
  expect(loggedPath("/api/chat/sessions")).toBe("/api/chat/sessions");
});
