import { ActionForm } from "../../parts/action-form.tsx";
import { LinesField, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, useProfile } from "./reads.ts";

const FIELDS = [
  "username",
  "name",
  "bio",
  "website_url",
  "github_username",
  "twitter_handle",
  "avatar_url",
] as const;

/** What other people see of the person. An empty field is cleared. */
export function ProfileForm() {
  return (
    <section aria-labelledby="profile">
      <h2 id="profile">Profile</h2>
      <Loaded of={useProfile()}>
        {(profile) => (
          <ActionForm submit="Save profile" done="Saved" isKept work={save}>
            <TextField label="Name" name="name" required maxLength={100} defaultValue={profile.name} />
            <TextField
              label="Username"
              name="username"
              required
              minLength={3}
              maxLength={32}
              defaultValue={profile.username}
              hint="3 to 32 characters. You can also sign in with it."
            />
            <LinesField label="About you" name="bio" maxLength={2000} defaultValue={profile.bio ?? ""} />
            <TextField
              label="Website"
              name="website_url"
              type="url"
              placeholder="https://"
              defaultValue={profile.website_url ?? ""}
            />
            <TextField
              label="GitHub"
              name="github_username"
              maxLength={100}
              defaultValue={profile.github_username ?? ""}
            />
            <TextField
              label="X (Twitter)"
              name="twitter_handle"
              maxLength={100}
              defaultValue={profile.twitter_handle ?? ""}
            />
            <TextField
              label="Picture URL"
              name="avatar_url"
              defaultValue={profile.avatar_url ?? ""}
              hint="An https:// address, for apps that show pictures. This console shows your initial."
            />
          </ActionForm>
        )}
      </Loaded>
    </section>
  );
}

async function save(form: FormData): Promise<void> {
  const body = Object.fromEntries(FIELDS.map((field) => [field, textOf(form, field)]));
  await workspace.request("PATCH", "/api/users/profile", { body });
  stale(accountKeys.profile, keys.me, keys.teams);
}
