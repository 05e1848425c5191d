import { z } from "zod";
import type {
  Device as StoredDevice,
  DeviceInput,
  PairedDevice,
} from "#src/domain/programs/desktop/index.ts";
import { Moment, text } from "#src/http/schemas.ts";

/** Requested permissions of a device's key. */
export const ScopeInput = z
  .array(text({ min: 1, max: 100 }))
  .max(100)
  .nullish()
  .describe("Permissions of the device's key besides `desktop.pair`. When absent, those that the app needs");

/** A desktop app as it describes itself. */
export const DeviceFields = {
  device_name: text({ min: 1, max: 200, trim: true }).nullish(),
  device_platform: text({ max: 40, trim: true }).nullish(),
  device_fingerprint: text({ max: 128, trim: true }).nullish(),
  app_version: text({ max: 40, trim: true }).nullish(),
};

const Fields = z.object(DeviceFields);

export function readDevice(fields: z.output<typeof Fields>): DeviceInput {
  return {
    name: fields.device_name ?? "Unnamed device",
    platform: fields.device_platform || null,
    fingerprint: fields.device_fingerprint || null,
    appVersion: fields.app_version || null,
  };
}

/** A newly paired device, with its key. */
export const Paired = z
  .object({
    device_id: z.uuid(),
    api_key_id: z.uuid(),
    token: z.string().describe("The raw key, `tsk_…`; returned only in this response"),
    scopes: z.array(z.string()),
    expires_at: z.null().describe("The key is valid until it is revoked"),
  })
  .meta({ id: "PairedDevice" });

export function describePaired(paired: PairedDevice): z.input<typeof Paired> {
  return {
    device_id: paired.deviceId,
    api_key_id: paired.apiKeyId,
    token: paired.token,
    scopes: paired.scopes,
    expires_at: null,
  };
}

/** A device as its owner sees it. */
export const Device = z
  .object({
    id: z.uuid(),
    name: z.string(),
    platform: z.string().nullable(),
    fingerprint: z.string().nullable(),
    app_version: z.string().nullable(),
    api_key_id: z.uuid(),
    created_at: Moment,
    last_seen_at: Moment.nullable().describe("Last use of its key, to the minute"),
    is_active: z.boolean().describe("True until its key is revoked"),
  })
  .meta({ id: "DesktopDevice" });

export function describeDevice(device: StoredDevice): z.input<typeof Device> {
  return {
    id: device.id,
    name: device.name,
    platform: device.platform,
    fingerprint: device.fingerprint,
    app_version: device.appVersion,
    api_key_id: device.apiKeyId,
    created_at: device.createdAt.toISOString(),
    last_seen_at: device.lastSeenAt?.toISOString() ?? null,
    is_active: device.isActive,
  };
}

export const Unpaired = z
  .object({
    revoked: z.literal(true),
    device_id: z.uuid().nullable(),
    api_key_id: z.uuid(),
  })
  .meta({ id: "UnpairedDevice" });

export function describeUnpaired(ended: {
  deviceId: string | null;
  apiKeyId: string;
}): z.input<typeof Unpaired> {
  return { revoked: true, device_id: ended.deviceId, api_key_id: ended.apiKeyId };
}
