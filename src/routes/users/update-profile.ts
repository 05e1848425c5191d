import { z } from "zod";
import * as accounts from "#src/domain/people/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeProfile, Profile, ProfileBody } from "./profile.ts";

export const updateProfile = endpoint({
  operationId: "updateProfile",
  method: "patch",
  path: "/api/users/profile",
  aliases: ["/users/profile"],
  summary: "Update the caller's profile",
  description: "Null clears a field.",
  tag: "Accounts",
  access: { user: "any" },
  example: { name: "Ada Lovelace" },
  body: ProfileBody,
  refusals: [409],
  response: { status: 200, schema: Profile.extend({ message: z.string() }) },
  async handler({ services, caller, body }) {
    const updated = await accounts.updateProfile(services, caller.userId, {
      username: body.username,
      name: body.name,
      avatarUrl: emptyAsNull(body.avatar_url),
      bio: emptyAsNull(body.bio),
      twitterHandle: emptyAsNull(body.twitter_handle),
      githubUsername: emptyAsNull(body.github_username),
      websiteUrl: emptyAsNull(body.website_url),
    });
    return { ...describeProfile(updated), message: "Profile updated" };
  },
});

function emptyAsNull(value: string | null | undefined): string | null | undefined {
  return value === "" ? null : value;
}
