import { describe, expect, it } from "vitest";
import { authorize, type Caller, type Scope } from "#src/domain/access/permissions/index.ts";
import type { Found } from "#src/domain/access/permissions/authorize.ts";
import { AppError } from "#src/lib/errors.ts";

const PERSON: Caller = { kind: "user", userId: "ada", sessionId: "session", isSuperuser: false };
const KEY: Caller = {
  kind: "key",
  keyId: "key",
  userId: "ada",
  teamId: "team",
  isApp: false,
  role: "admin",
  scopes: null,
  projectIds: null,
};
const key = (change: Partial<typeof KEY>): Caller => ({ ...KEY, ...change });

const project: Found = { role: "editor", projectId: "project" };
const own: Found = { ...project, ownerId: "ada" };
const private_: Found = { ...project, ownerId: "grace" };
const team: Found = { role: "editor", teamId: "team" };

const NOT_FOUND = "not_found: Chat not found";
const WRONG_PROJECT = "forbidden: API key does not have access to this project";
const NO_SCOPE = "forbidden: API key lacks required scope: chat.send";
const OWNER_TOO_LOW = "forbidden: Key owner's role no longer grants: chat.send";
const ROLE_TOO_LOW = "forbidden: Role 'viewer' does not have permission 'chat.send'";

function decide(caller: Caller, found: Found, scope: Scope = "chat.send"): string {
  try {
    return authorize(caller, scope, found, "Chat not found");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

describe("what a caller may do", () => {
  it.each<[string, Caller, Found, string]>([
    ["a member", PERSON, project, "editor"],
    ["a member whose role is too low", PERSON, { ...project, role: "viewer" }, ROLE_TOO_LOW],
    ["a stranger", PERSON, { ...project, role: null }, NOT_FOUND],
    ["the owner of a chat", PERSON, own, "editor"],
    ["the owner whose role is too low by now", PERSON, { ...own, role: "viewer" }, ROLE_TOO_LOW],
    ["an owner who has left", PERSON, { ...own, role: null }, NOT_FOUND],
    ["a colleague, of a private chat", PERSON, private_, NOT_FOUND],
    ["an administrator, of a private chat", PERSON, { ...private_, role: "admin" }, NOT_FOUND],
    ["a viewer, of a private chat", PERSON, { ...private_, role: "viewer" }, ROLE_TOO_LOW],
    ["a key", KEY, project, "editor"],
    ["a key of the project", key({ projectIds: ["project"] }), project, "editor"],
    ["a key of another project", key({ projectIds: ["other"] }), project, WRONG_PROJECT],
    ["a key with the scope", key({ scopes: ["chat.send"] }), project, "editor"],
    ["a key without the scope", key({ scopes: ["chat.view"] }), project, NO_SCOPE],
    ["a key whose owner is a viewer in the key's team", key({ role: "viewer" }), project, OWNER_TOO_LOW],
    ["a key whose owner is a viewer in the project", KEY, { ...project, role: "viewer" }, ROLE_TOO_LOW],
    ["a key whose owner has no part in the project", KEY, { ...project, role: null }, NOT_FOUND],
    ["a key, of its owner's chat", KEY, own, "editor"],
    ["a key, of another person's chat", KEY, private_, NOT_FOUND],
    ["a key of another project, of its owner's chat", key({ projectIds: ["other"] }), own, WRONG_PROJECT],
    [
      "a key of another project, of another person's chat",
      key({ projectIds: ["other"] }),
      private_,
      NOT_FOUND,
    ],
    ["a key without the scope, of another person's chat", key({ scopes: [] }), private_, NOT_FOUND],
    ["a key, of its own team", KEY, team, "editor"],
    ["a key, of another team of its owner", key({ teamId: "other" }), team, NOT_FOUND],
    ["a key of a project, of its own team", key({ projectIds: ["project"] }), team, "editor"],
    ["a person, of any of their teams", PERSON, { ...team, teamId: "other" }, "editor"],
  ])("%s", (_, caller, found, outcome) => {
    expect(decide(caller, found)).toBe(outcome);
  });
});
