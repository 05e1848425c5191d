import { z } from "zod";
import { updateProfile as update } from "#src/domain/accounts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeProfile, Profile, ProfileBody } from "./profile.ts";

export const updateProfile = endpoint({
  method: "patch",
  path: "/api/users/profile",
  aliases: ["/users/profile"],
  summary: "Change what the caller tells others; null takes a field away",
  tag: "Accounts",
  access: { user: "any" },
  body: ProfileBody,
  refusals: [409],
  response: { status: 200, schema: Profile.extend({ message: z.string() }) },
  async handler({ services, caller, body }) {
    const updated = await update(services, caller.userId, {
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
