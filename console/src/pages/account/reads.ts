import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what this area reads. */
export const accountKeys = {
  profile: ["account", "profile"],
  preferences: ["account", "preferences"],
  sessions: ["account", "sessions"],
  connectedApps: ["account", "connected apps"],
  devices: ["account", "devices"],
  authenticator: ["account", "authenticator"],
  passkeys: ["account", "passkeys"],
  passkeyOrigin: ["account", "passkey origin"],
  limits: ["account", "limits"],
};

export const useProfile = () =>
  useRead(accountKeys.profile, (signal) => workspace.request("GET", "/api/users/profile", { signal }));

export const usePreferences = () =>
  useRead(accountKeys.preferences, (signal) =>
    workspace.request("GET", "/api/users/preferences", { signal }),
  );

export const useSessions = () =>
  useRead(accountKeys.sessions, (signal) => workspace.sessions.list({ signal }));

export const useConnectedApps = () =>
  useRead(accountKeys.connectedApps, (signal) =>
    workspace.request("GET", "/api/auth/connected-apps", { signal }),
  );

export const useDevices = () =>
  useRead(accountKeys.devices, (signal) => workspace.request("GET", "/api/desktop/devices", { signal }));

export const useAuthenticator = () =>
  useRead(accountKeys.authenticator, (signal) =>
    workspace.request("GET", "/api/users/me/authenticator", { signal }),
  );

export const usePasskeys = () =>
  useRead(accountKeys.passkeys, (signal) => workspace.request("GET", "/api/users/me/passkeys", { signal }));

/** Origin of the pages on which passkeys work; null where they cannot. */
export const usePasskeyOrigin = () =>
  useRead(
    accountKeys.passkeyOrigin,
    async (signal) => (await workspace.request("GET", "/api/feature-flags", { signal })).passkey_origin,
  );

export const useLimits = () =>
  useRead(accountKeys.limits, (signal) => workspace.request("GET", "/api/users/me/limits", { signal }));
