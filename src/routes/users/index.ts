import type { Endpoint } from "#src/http/endpoint.ts";
import { authenticatorEndpoints } from "./authenticator/index.ts";
import { changeHandle } from "./change-handle.ts";
import { deleteUser } from "./delete-user.ts";
import { getLimits } from "./get-limits.ts";
import { getMe } from "./get-me.ts";
import { getPreferences } from "./get-preferences.ts";
import { getProfile } from "./get-profile.ts";
import { getUser } from "./get-user.ts";
import { passkeyEndpoints } from "./passkeys/index.ts";
import { updateMe } from "./update-me.ts";
import { updatePreferences } from "./update-preferences.ts";
import { updateProfile } from "./update-profile.ts";
import { updateUser } from "./update-user.ts";

export const userEndpoints: readonly Endpoint[] = [
  getMe,
  getLimits,
  updateMe,
  ...authenticatorEndpoints,
  ...passkeyEndpoints,
  changeHandle,
  getPreferences,
  updatePreferences,
  getProfile,
  updateProfile,
  getUser,
  updateUser,
  deleteUser,
];
