# Random mechanisms and what must hold of them: tests/generate/README.md. A thousand in the tests, a
# quarter of them wide; fewer where sanitizers make them slow; 1.25 million in soak runs, by
# scripts/generate, in pieces.
file(GLOB FLANGE_GENERATE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/generate/*.c)
add_executable(generate ${FLANGE_GENERATE_SOURCES})
target_include_directories(generate PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(generate PRIVATE flange_inner)

set(FLANGE_GENERATE_COUNT 750)
set(FLANGE_GENERATE_WIDE 200)
set(FLANGE_GENERATE_SOFT 50)
if(FLANGE_SANITIZE)
  set(FLANGE_GENERATE_COUNT 40)
  set(FLANGE_GENERATE_WIDE 8)
  set(FLANGE_GENERATE_SOFT 2)
endif()
add_test(NAME generate/systems COMMAND generate --count ${FLANGE_GENERATE_COUNT})
set_tests_properties(generate/systems PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS} COST 30)
# seeds over a million: with point masses, bushings, flexible bodies, prescribed motions and more
add_test(NAME generate/wide COMMAND generate --first 1000001 --count ${FLANGE_GENERATE_WIDE})
set_tests_properties(generate/wide PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS} COST 20)
# seeds over eight million: with bushings between subsystems
add_test(NAME generate/soft COMMAND generate --first 8000001 --count ${FLANGE_GENERATE_SOFT})
set_tests_properties(generate/soft PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS} COST 10)
add_test(NAME generate/soak COMMAND ${PROJECT_SOURCE_DIR}/scripts/generate 1250000 5000 $<TARGET_FILE:generate>
  CONFIGURATIONS soak)
set_tests_properties(generate/soak PROPERTIES TIMEOUT 172800 LABELS soak RUN_SERIAL ON)
# pieces of a run that was stopped are not run again, and add up: a script, the same in all builds
if(NOT FLANGE_SANITIZE)
  add_test(NAME generate/pieces COMMAND ${PROJECT_SOURCE_DIR}/tests/generate/pieces
    $<TARGET_FILE:generate>)
  set_tests_properties(generate/pieces PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
endif()
# side by side, the threads of OpenBLAS would spin for each other's processors
set_tests_properties(generate/systems generate/wide generate/soft generate/soak PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)

# co-simulated ones that failed once, and are near the same solved as one since
foreach(seed 230329 41341 200984 208772 235319 1618 1807 41710 235467
    218602 407279 406582 229813 411217 206595 234471 22788 34109 33959)
  add_test(NAME generate/${seed}-coupled COMMAND generate --strict ${seed} coupled)
endforeach()
# hits inside of a coupled subsystem, and balls on soft rods: from one step into the next, until steps are short
foreach(seed 40005652 50302513)
  add_test(NAME generate/${seed}-coupled COMMAND generate ${seed} coupled)
endforeach()
# co-simulated pairs that failed once, and are as near to each other as to the same solved as one
foreach(pair "2111791;reordered" "2141508;renamed" "760822;renamed"
    "2102274;reordered" "5021377;scaled" "5011387;renamed")
  list(JOIN pair "-" name)
  add_test(NAME generate/${name} COMMAND generate ${pair})
endforeach()
# bodies that friction held in one form and let go in the other: both were solutions; and one that stands on a rim,
# whose lowest point wandered with the rounding of its tilt; and faces whose tilt by rounding decided which points carry
foreach(pair "5003682;coordinates" "9201027;coordinates" "30016832;coordinates" "30014434;coordinates"
    "50101735;coordinates")
  list(JOIN pair "-" name)
  add_test(NAME generate/${name} COMMAND generate ${pair})
endforeach()
# mechanisms that land without a bounce: where in a step that fell decided how they went on, and forms that are
# apart by what steps err came to no common limit
foreach(seed 2150209 5001248 5007381 5011868 5013034 5025854 7003850)
  add_test(NAME generate/${seed}-coordinates COMMAND generate ${seed} coordinates)
endforeach()
# stops beside contacts, which moved bodies by where a stop or a friction had been closed before, one without a
# bounce that threw back what forces slowed down on its way to it, and one that held what joints that turn throw off
foreach(pair "5024143;coordinates" "5013975;coordinates" "8000993;coordinates" "6101231;coordinates"
    "9201917;coordinates" "30028299;coordinates")
  list(JOIN pair "-" name)
  add_test(NAME generate/${name} COMMAND generate ${pair})
endforeach()
# faces and rims that land nearly flat: what counted as small, and which of their points were found, was measured from
# the frames of bodies, which are up to the coordinates
foreach(seed 80204302 80303067 30026648 30033547)
  add_test(NAME generate/${seed}-coordinates COMMAND generate ${seed} coordinates)
endforeach()
# hinges of a plane hold what a floor without friction pushes: in joint coordinates they yield by rounding alone
foreach(seed 90007126 90026506)
  add_test(NAME generate/${seed}-coordinates COMMAND generate ${seed} coordinates)
endforeach()
# friction that jams legs of several subsystems, and says so since
add_test(NAME generate/90025141-told COMMAND generate 90025141 closure)
set_tests_properties(generate/90025141-told PROPERTIES
  PASS_REGULAR_EXPRESSION "closure +told .*friction jams what slides")
# apart by what steps err, where these are no measure at first: hits that change places until steps are short, a light
# body that friction nearly jams, and one that whips through a dead centre, where projections end a little apart
foreach(pair "30026694;coordinates" "80301883;coordinates" "30013307;renamed")
  list(JOIN pair "-" name)
  add_test(NAME generate/${name} COMMAND generate ${pair})
endforeach()
# bodies that are fixed to each other, as one and apart: off by what steps err where they land; and light ones that whip
# round between heavy ones, which is no step's to resolve, solved as one or coupled
foreach(pair "9100356;reduced" "403084;coupled")
  list(JOIN pair "-" name)
  add_test(NAME generate/${name} COMMAND generate ${pair})
endforeach()
# a weld that takes all freedom from a body on the floor: what is left of speeds is rounding, and no landing
add_test(NAME generate/7001084-coordinates COMMAND generate 7001084 coordinates)
# one whose coupling makes up energy, spreads a hit, bends a soft beam too far, or loses or cannot close an interface
# (rounding decides which): it says so
add_test(NAME generate/2102568-told COMMAND generate 2102568 ends)
set_tests_properties(generate/2102568-told PROPERTIES
  PASS_REGULAR_EXPRESSION "ends +told .*(nothing in it gives energy|cannot close interface|loses interface|spreads a hit|links of .b3. bend so far)")
# semi-implicit steps that lose most of the energy, and say so since
add_test(NAME generate/5006958-told COMMAND generate 5006958 order)
set_tests_properties(generate/5006958-told PROPERTIES
  PASS_REGULAR_EXPRESSION "order +told .*(where its joints turn|faster than the step)")
# a light link that whips round beside implicit springs, and says so since
add_test(NAME generate/2140724-told COMMAND generate 2140724 renamed)
set_tests_properties(generate/2140724-told PROPERTIES
  PASS_REGULAR_EXPRESSION "renamed +told .*the motion is faster than the step")
# a beam that bends until its mass matrix is not positive definite, and says so since
add_test(NAME generate/2130445-told COMMAND generate 2130445 closure)
set_tests_properties(generate/2130445-told PROPERTIES
  PASS_REGULAR_EXPRESSION "closure +told .*bend so far")
# two joints of a beam that hardly bends between them: rounding decides whether their rows count, and it says so since
foreach(seed 7001960 7004912)
  add_test(NAME generate/${seed}-told COMMAND generate ${seed} closure)
  set_tests_properties(generate/${seed}-told PROPERTIES
    PASS_REGULAR_EXPRESSION "closure +told .*so nearly that rounding decides")
endforeach()
# a motion that drives a body into the floor, and says so since
add_test(NAME generate/2132715-told COMMAND generate 2132715 contacts)
set_tests_properties(generate/2132715-told PROPERTIES
  PASS_REGULAR_EXPRESSION "contacts +skipped .*something was not solved")
# loops that lock as a beam tilts their hinges, and say so since
foreach(seed 2131955 2113921)
  add_test(NAME generate/${seed}-told COMMAND generate ${seed} renamed)
  set_tests_properties(generate/${seed}-told PROPERTIES
    PASS_REGULAR_EXPRESSION "renamed +told .*cannot close interface")
endforeach()
# a row that counts and is so near to others that models of ports leave it out: it says so since
add_test(NAME generate/2160939-told COMMAND generate 2160939 coupled)
set_tests_properties(generate/2160939-told PROPERTIES
  PASS_REGULAR_EXPRESSION "coupled +told .*cannot close interface")
# a weld of an event beside a point of a beam that hardly bends in between
add_test(NAME generate/30001492-told COMMAND generate 30001492 ends)
set_tests_properties(generate/30001492-told PROPERTIES
  PASS_REGULAR_EXPRESSION "ends +told .*'b7\\+b6' .*slips")
# pairs that failed once and agree to rounding since
foreach(pair "965;turned" "965;renamed" "8400;turned" "9249;turned"
    "1616;turned" "1616;scaled" "11416;scaled" "11469;energy" "11923;scaled" "13477;energy"
    "14245;scaled" "13935;coupled" "1535;coupled" "12137;coupled" "13740;coupled" "14078;coupled"
    "34258;resume" "2131878;resume" "41490;order" "30133;order" "30969;order" "33665;order"
    "24605;contacts" "31776;contacts" "33342;contacts" "205271;contacts" "211605;order"
    "59;scaled" "43510;scaled" "1794;scaled" "201641;coupled" "202795;scaled" "203721;scaled"
    "204047;scaled" "222234;scaled" "223060;scaled" "44703;turned" "15855;turned"
    "41052;starts" "223932;cut" "301016;turned" "301016;renamed" "302022;scaled" "209254;energy"
    "235002;energy" "206954;order" "303148;order" "217276;spin" "217205;momentum"
    "230770;turned" "315514;turned" "309148;turned" "313209;turned" "318682;energy" "311213;order"
    "2100962;turned" "722281;energy" "304745;renamed"
    "5004523;mirrored" "5009273;resume" "5009942;mirrored" "215096;mirrored" "2150317;mirrored"
    "5005035;mirrored" "5023814;mirrored" "5010596;mirrored" "6001778;mirrored"
    "6002051;mirrored" "700046;closure" "5021200;closure"
    "5000702;coupled" "8002774;coordinates" "7000870;closure" "2131733;closure"
    "7000744;energy" "8000623;energy" "5022690;renamed" "6101556;coupled"
    "30006433;resume" "30010882;turned" "40000686;renamed" "40003888;turned" "30019964;turned" "30030022;turned" "30018081;renamed"
    "50200038;mirrored")
  list(JOIN pair "-" name)
  add_test(NAME generate/${name} COMMAND generate --strict ${pair})
endforeach()
