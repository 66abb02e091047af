// The demonstration's one entry: a data folder of generated users, simulated nodes and a test payment provider.
export { openDemoShop } from './demo-shop.ts';
export { prepareDemoFolder } from './folder.ts';
export { simulateEngines } from './simulated-engines.ts';
