use "circle.sml";
