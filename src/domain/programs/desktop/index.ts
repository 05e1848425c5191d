export { listDevices, readPairing, type Device } from "./list-devices.ts";
export { mintPairing } from "./mint-pairing.ts";
export { exchangePairing, pairDevice, type DeviceInput, type PairedDevice } from "./pair-device.ts";
export { endPairings } from "./queries.ts";
export { unpairDevice, unpairKey } from "./unpair-device.ts";
