// Tells the compiler of the pages what the bundler makes of imports that are not scripts (styles, pictures, fonts).
/// <reference types="vite/client" />
