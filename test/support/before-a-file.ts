import { endUnusedBrowser } from "./shared-browser.ts";

await endUnusedBrowser();
