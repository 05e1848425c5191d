import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** Names of what this area reads. */
export const accountKeys = {
  profile: ["account", "profile"],
  preferences: ["account", "preferences"],
  sessions: ["account", "sessions"],
  devices: ["account", "devices"],
  authenticator: ["account", "authenticator"],
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

export const useDevices = () =>
  useRead(accountKeys.devices, (signal) => workspace.request("GET", "/api/desktop/devices", { signal }));

export const useAuthenticator = () =>
  useRead(accountKeys.authenticator, (signal) =>
    workspace.request("GET", "/api/users/me/authenticator", { signal }),
  );

export const useLimits = () =>
  useRead(accountKeys.limits, (signal) => workspace.request("GET", "/api/users/me/limits", { signal }));
