import type { Endpoint } from "#src/http/endpoint.ts";
import * as authoring from "./authoring.ts";
import * as bases from "./bases.ts";
import * as catalogue from "./catalogue.ts";
import { myAgents, myBases, removeFromLibrary, toggleAgent } from "./library.ts";
import {
  addProjectAgent,
  listAvailableAgents,
  listProjectAgents,
  removeProjectAgent,
} from "./project-agents.ts";
import { purchaseAgent, purchaseBase, purchaseItem } from "./purchase.ts";
import * as reviews from "./reviews.ts";
import { cancelSubscription, listSubscriptions, renewSubscription, verifyPurchase } from "./sales.ts";

export const marketplaceEndpoints: readonly Endpoint[] = [
  purchaseItem,
  purchaseAgent,
  purchaseBase,
  verifyPurchase,
  listSubscriptions,
  cancelSubscription,
  renewSubscription,
  myAgents,
  toggleAgent,
  removeFromLibrary,
  myBases,
  authoring.createAgent,
  authoring.updateAgent,
  authoring.deleteAgent,
  authoring.forkAgent,
  authoring.publishAgent,
  authoring.unpublishAgent,
  bases.submitBase,
  bases.updateBase,
  bases.setVisibility,
  bases.deleteBase,
  bases.listCreatedBases,
  bases.listItems,
  listProjectAgents,
  listAvailableAgents,
  addProjectAgent,
  removeProjectAgent,
  reviews.reviewAgent,
  reviews.reviewBase,
  reviews.deleteAgentReview,
  reviews.deleteBaseReview,
  reviews.listAgentReviews,
  reviews.listBaseReviews,
  catalogue.listAgents,
  catalogue.getAgent,
  catalogue.listRelatedAgents,
  catalogue.listAgentVersions,
  catalogue.listBases,
  catalogue.getBase,
  catalogue.listBaseVersions,
  catalogue.listSkills,
  catalogue.listMcpServers,
  catalogue.listThemes,
  catalogue.listWorkflows,
];
