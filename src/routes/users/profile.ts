import { z } from "zod";
import type { User } from "#src/domain/people/accounts/index.ts";
import { text } from "#src/http/schemas.ts";

/** Largest picture, in characters, as an address or as a data URL. */
const MAX_AVATAR = 512_000;

export const Profile = z
  .object({
    username: z.string(),
    name: z.string(),
    avatar_url: z.string().nullable(),
    bio: z.string().nullable(),
    twitter_handle: z.string().nullable(),
    github_username: z.string().nullable(),
    website_url: z.string().nullable(),
  })
  .meta({ id: "Profile" });

export function describeProfile(user: User): z.input<typeof Profile> {
  return {
    username: user.username,
    name: user.name,
    avatar_url: user.avatarUrl,
    bio: user.bio,
    twitter_handle: user.twitterHandle,
    github_username: user.githubUsername,
    website_url: user.websiteUrl,
  };
}

/** Except for the names, null clears a field, and so does the empty text that a form sends. */
export const ProfileBody = z.object({
  username: text({ max: 100 }).optional(),
  name: text({ min: 1, max: 100, trim: true }).optional(),
  avatar_url: text({ max: MAX_AVATAR })
    .refine(isEmptyOr(isPicture), "must be an https:// address or a picture as data:image/…;base64,…")
    .nullish(),
  bio: text({ max: 2000 }).nullish(),
  twitter_handle: text({ max: 100, trim: true }).nullish(),
  github_username: text({ max: 100, trim: true }).nullish(),
  website_url: text({ max: 2048, trim: true })
    .refine(isEmptyOr(isWebAddress), "must be an http:// or https:// address")
    .nullish(),
});

function isEmptyOr(rule: (value: string) => boolean): (value: string) => boolean {
  return (value) => value === "" || rule(value);
}

/** Pages link to it, so addresses that run code are refused. */
function isWebAddress(value: string): boolean {
  return /^https?:\/\/\S+$/iu.test(value) && URL.canParse(value);
}

/** Pages show it: a picture that is stored here, or one that is fetched over https. */
function isPicture(value: string): boolean {
  if (/^data:image\/[a-z0-9.+-]+;base64,[a-z0-9+/]+={0,2}$/iu.test(value)) return true;
  return isWebAddress(value) && /^https:/iu.test(value);
}
